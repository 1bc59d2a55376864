package com.intellij.psi;

public interface PsiPolyVariantReference extends com.intellij.psi.PsiReference {
    com.intellij.psi.ResolveResult[] multiResolve(boolean a);
}
