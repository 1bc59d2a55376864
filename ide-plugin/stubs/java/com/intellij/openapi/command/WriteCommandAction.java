package com.intellij.openapi.command;

public abstract class WriteCommandAction<T> {
    public static com.intellij.openapi.command.WriteCommandAction.Builder writeCommandAction(com.intellij.openapi.project.Project a) { throw new AssertionError(); }
    protected WriteCommandAction() { throw new AssertionError(); }

    public interface Builder {
        <E extends java.lang.Throwable> void run(com.intellij.util.ThrowableRunnable<E> a) throws E;
        com.intellij.openapi.command.WriteCommandAction.Builder withGlobalUndo();
        com.intellij.openapi.command.WriteCommandAction.Builder withGroupId(java.lang.String a);
        com.intellij.openapi.command.WriteCommandAction.Builder withName(java.lang.String a);
        com.intellij.openapi.command.WriteCommandAction.Builder withUndoConfirmationPolicy(com.intellij.openapi.command.UndoConfirmationPolicy a);
    }
}
