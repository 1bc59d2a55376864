package com.intellij.psi.scope;

public interface PsiScopeProcessor {
    boolean execute(com.intellij.psi.PsiElement a, com.intellij.psi.ResolveState b);
}
