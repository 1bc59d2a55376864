package com.intellij.psi;

public interface PsiMember extends com.intellij.psi.PsiModifierListOwner, com.intellij.navigation.NavigationItem {
    com.intellij.psi.PsiClass getContainingClass();
}
