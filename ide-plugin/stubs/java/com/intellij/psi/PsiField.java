package com.intellij.psi;

public interface PsiField extends com.intellij.psi.PsiNameIdentifierOwner, com.intellij.psi.PsiDocCommentOwner {
}
