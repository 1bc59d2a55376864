package com.intellij.openapi.fileEditor;

public interface FileEditorManagerListener extends java.util.EventListener {
    com.intellij.util.messages.Topic<com.intellij.openapi.fileEditor.FileEditorManagerListener> FILE_EDITOR_MANAGER = null;
    default void selectionChanged(com.intellij.openapi.fileEditor.FileEditorManagerEvent a) { throw new AssertionError(); }
}
