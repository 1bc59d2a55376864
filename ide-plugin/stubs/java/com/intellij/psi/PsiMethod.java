package com.intellij.psi;

public interface PsiMethod extends com.intellij.psi.PsiNameIdentifierOwner, com.intellij.psi.PsiDocCommentOwner {
    com.intellij.psi.PsiMethod[] findSuperMethods();
    boolean isConstructor();
}
