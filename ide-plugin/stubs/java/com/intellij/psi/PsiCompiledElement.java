package com.intellij.psi;

public interface PsiCompiledElement extends com.intellij.psi.PsiElement {
}
