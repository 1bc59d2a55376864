package com.intellij.openapi.command;

public enum UndoConfirmationPolicy {
    DO_NOT_REQUEST_CONFIRMATION;
}
