package com.intellij.psi;

public interface PsiEnumConstant extends com.intellij.psi.PsiField, com.intellij.psi.PsiConstructorCall {
}
