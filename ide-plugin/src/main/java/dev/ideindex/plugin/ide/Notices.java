package dev.ideindex.plugin.ide;

import com.intellij.notification.Notification;
import com.intellij.notification.NotificationAction;
import com.intellij.notification.NotificationType;
import com.intellij.notification.Notifications;
import com.intellij.openapi.options.ShowSettingsUtil;

/** Balloons. One a cause: nobody wants to close the same one twice. */
final class Notices {
    /** As {@code plugin.xml} names it. */
    static final String GROUP = "IDE Index MCP";

    private Notices() {}

    static void notStarted(String because) {
        Notification notice = new Notification(GROUP, "The MCP server does not run", because, NotificationType.WARNING);
        notice.addAction(NotificationAction.createSimple("Change the port…",
                () -> ShowSettingsUtil.getInstance().showSettingsDialog(null, SettingsPage.class)));
        notice.addAction(NotificationAction.createSimple("Try again", () -> NativeService.getInstance().restart()));
        Notifications.Bus.notify(notice);
    }

    static void copied(String what) {
        Notifications.Bus.notify(new Notification(GROUP, "", what + " copied.", NotificationType.INFORMATION));
    }

    static void failed(String what, String because) {
        Notifications.Bus.notify(new Notification(GROUP, what, because, NotificationType.ERROR));
    }
}
