package com.intellij.psi;

public interface PsiConstructorCall extends com.intellij.psi.PsiCall {
    com.intellij.psi.PsiMethod resolveConstructor();
}
