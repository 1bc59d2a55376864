package com.intellij.lang.documentation;

public interface DocumentationProvider {
    java.lang.String generateDoc(com.intellij.psi.PsiElement a, com.intellij.psi.PsiElement b);
    java.lang.String getQuickNavigateInfo(com.intellij.psi.PsiElement a, com.intellij.psi.PsiElement b);
}
