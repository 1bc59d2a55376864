package com.intellij.psi;

public interface PsiCodeBlock extends com.intellij.psi.PsiElement {
}
