package com.intellij.lang;

public interface ImportOptimizer {
    java.lang.Runnable processFile(com.intellij.psi.PsiFile a);
}
