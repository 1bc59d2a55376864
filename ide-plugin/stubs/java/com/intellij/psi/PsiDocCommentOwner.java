package com.intellij.psi;

public interface PsiDocCommentOwner extends com.intellij.psi.PsiMember, com.intellij.psi.PsiJavaDocumentedElement {
}
