package com.intellij.psi;

public interface PsiNewExpression extends com.intellij.psi.PsiConstructorCall {
}
