package com.intellij.psi;

public interface PsiJavaDocumentedElement extends com.intellij.psi.PsiElement {
    com.intellij.psi.javadoc.PsiDocComment getDocComment();
}
