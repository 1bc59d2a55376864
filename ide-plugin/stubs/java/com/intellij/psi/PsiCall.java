package com.intellij.psi;

public interface PsiCall extends com.intellij.psi.PsiElement {
}
