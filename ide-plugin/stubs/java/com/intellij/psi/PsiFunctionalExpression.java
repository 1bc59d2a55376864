package com.intellij.psi;

public interface PsiFunctionalExpression extends com.intellij.psi.PsiElement, com.intellij.navigation.NavigationItem {
}
