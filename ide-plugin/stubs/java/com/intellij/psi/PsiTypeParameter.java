package com.intellij.psi;

public interface PsiTypeParameter extends com.intellij.psi.PsiClass {
}
