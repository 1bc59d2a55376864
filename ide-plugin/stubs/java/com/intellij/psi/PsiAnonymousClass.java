package com.intellij.psi;

public interface PsiAnonymousClass extends com.intellij.psi.PsiClass {
}
