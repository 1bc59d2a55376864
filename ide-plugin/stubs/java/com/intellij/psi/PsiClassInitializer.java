package com.intellij.psi;

public interface PsiClassInitializer extends com.intellij.psi.PsiMember {
}
