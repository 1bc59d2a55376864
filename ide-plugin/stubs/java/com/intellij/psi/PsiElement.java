package com.intellij.psi;

public interface PsiElement extends com.intellij.openapi.util.UserDataHolder {
    void accept(com.intellij.psi.PsiElementVisitor a);
    com.intellij.psi.PsiElement findElementAt(int a);
    com.intellij.psi.PsiReference findReferenceAt(int a);
    com.intellij.psi.PsiFile getContainingFile() throws com.intellij.psi.PsiInvalidElementAccessException;
    com.intellij.psi.PsiElement getFirstChild();
    com.intellij.lang.Language getLanguage();
    com.intellij.psi.PsiManager getManager();
    com.intellij.psi.PsiElement getNavigationElement();
    com.intellij.psi.PsiElement getNextSibling();
    com.intellij.psi.PsiElement getParent();
    com.intellij.openapi.project.Project getProject() throws com.intellij.psi.PsiInvalidElementAccessException;
    com.intellij.psi.PsiReference[] getReferences();
    int getStartOffsetInParent();
    java.lang.String getText();
    int getTextLength();
    int getTextOffset();
    com.intellij.openapi.util.TextRange getTextRange();
    boolean isValid();
    boolean isWritable();
}
