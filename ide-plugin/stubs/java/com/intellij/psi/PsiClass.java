package com.intellij.psi;

public interface PsiClass extends com.intellij.psi.PsiNameIdentifierOwner, com.intellij.psi.PsiDocCommentOwner {
    java.lang.String getQualifiedName();
    com.intellij.psi.PsiClass getSuperClass();
    com.intellij.psi.PsiClass[] getSupers();
    boolean isAnnotationType();
    boolean isEnum();
    boolean isInterface();
}
