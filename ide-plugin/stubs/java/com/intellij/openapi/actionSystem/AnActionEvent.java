package com.intellij.openapi.actionSystem;

public class AnActionEvent {
    public com.intellij.openapi.actionSystem.Presentation getPresentation() { throw new AssertionError(); }
    public com.intellij.openapi.project.Project getProject() { throw new AssertionError(); }
    protected AnActionEvent() { throw new AssertionError(); }
}
