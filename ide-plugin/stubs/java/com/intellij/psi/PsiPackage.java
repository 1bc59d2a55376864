package com.intellij.psi;

public interface PsiPackage extends com.intellij.psi.PsiNamedElement, com.intellij.navigation.NavigationItem, com.intellij.psi.PsiModifierListOwner {
}
