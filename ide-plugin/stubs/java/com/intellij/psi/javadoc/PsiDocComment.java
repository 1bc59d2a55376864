package com.intellij.psi.javadoc;

public interface PsiDocComment extends com.intellij.psi.PsiElement {
}
