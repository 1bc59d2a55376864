package com.intellij.notification;

public abstract class NotificationAction extends com.intellij.openapi.actionSystem.AnAction implements com.intellij.openapi.project.DumbAware {
    public static com.intellij.notification.NotificationAction createSimple(java.lang.String a, java.lang.Runnable b) { throw new AssertionError(); }
    protected NotificationAction() { throw new AssertionError(); }
}
