package com.intellij.openapi.wm;

public interface ToolWindowFactory {
    void createToolWindowContent(com.intellij.openapi.project.Project a, com.intellij.openapi.wm.ToolWindow b);
}
