package com.intellij.openapi.actionSystem;

/** It came after the platform 183. */
public enum ActionUpdateThread { BGT, EDT }
