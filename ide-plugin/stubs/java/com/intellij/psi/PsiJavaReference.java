package com.intellij.psi;

public interface PsiJavaReference extends com.intellij.psi.PsiPolyVariantReference {
    void processVariants(com.intellij.psi.scope.PsiScopeProcessor a);
}
