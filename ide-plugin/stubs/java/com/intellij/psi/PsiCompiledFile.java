package com.intellij.psi;

public interface PsiCompiledFile extends com.intellij.psi.PsiFile, com.intellij.psi.PsiCompiledElement {
    com.intellij.psi.PsiFile getDecompiledPsiFile();
}
