package com.intellij.lang;

public interface PsiStructureViewFactory {
    com.intellij.ide.structureView.StructureViewBuilder getStructureViewBuilder(com.intellij.psi.PsiFile a);
}
