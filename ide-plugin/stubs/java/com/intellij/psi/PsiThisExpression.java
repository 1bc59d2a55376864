package com.intellij.psi;

public interface PsiThisExpression extends com.intellij.psi.PsiElement {
}
