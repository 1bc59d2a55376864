package com.intellij.openapi.actionSystem;

public abstract class AnAction {
    public AnAction() { throw new AssertionError(); }
    public abstract void actionPerformed(com.intellij.openapi.actionSystem.AnActionEvent a);
    public com.intellij.openapi.actionSystem.ActionUpdateThread getActionUpdateThread() { throw new AssertionError(); }
    public void update(com.intellij.openapi.actionSystem.AnActionEvent a) { throw new AssertionError(); }
}
