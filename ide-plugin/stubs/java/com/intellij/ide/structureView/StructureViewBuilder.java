package com.intellij.ide.structureView;

public interface StructureViewBuilder {
    com.intellij.ide.structureView.StructureView createStructureView(com.intellij.openapi.fileEditor.FileEditor a, com.intellij.openapi.project.Project b);
}
