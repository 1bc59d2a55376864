package com.intellij.psi;

public interface PsiSuperExpression extends com.intellij.psi.PsiElement {
}
