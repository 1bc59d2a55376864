package com.intellij.psi;

public interface PsiMethodReferenceExpression extends com.intellij.psi.PsiJavaCodeReferenceElement, com.intellij.psi.PsiFunctionalExpression {
}
