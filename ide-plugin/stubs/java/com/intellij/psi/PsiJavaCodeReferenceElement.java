package com.intellij.psi;

public interface PsiJavaCodeReferenceElement extends com.intellij.psi.PsiJavaReference, com.intellij.psi.PsiElement {
}
