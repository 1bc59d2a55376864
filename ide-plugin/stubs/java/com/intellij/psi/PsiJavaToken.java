package com.intellij.psi;

public interface PsiJavaToken extends com.intellij.psi.PsiElement {
}
