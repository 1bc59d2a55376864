package com.intellij.psi;

public interface PsiFileSystemItem extends com.intellij.psi.PsiNamedElement, com.intellij.navigation.NavigationItem {
    java.lang.String getName();
}
