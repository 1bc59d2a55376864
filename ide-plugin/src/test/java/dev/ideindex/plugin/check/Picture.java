package dev.ideindex.plugin.check;

import com.intellij.ide.ui.laf.IntelliJLaf;
import com.intellij.ide.ui.laf.darcula.DarculaLaf;
import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.application.ModalityState;
import com.intellij.openapi.project.Project;
import dev.ideindex.plugin.asking.Checks;
import dev.ideindex.plugin.ide.McpPanel;
import dev.ideindex.plugin.spi.Json;
import java.awt.Graphics;
import java.awt.Rectangle;
import java.awt.Robot;
import java.awt.image.BufferedImage;
import java.io.File;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import javax.imageio.ImageIO;
import javax.swing.JFrame;
import javax.swing.LookAndFeel;
import javax.swing.UIManager;

/** Shows the tool window's panel on a real screen, in the light and the dark theme, and writes what the screen shows. */
public final class Picture {
    private static final int WIDTH = 560;
    private static final int HEIGHT = 300;
    private static final int SETTLE_MILLIS = 700;

    private Picture() {}

    /** Called by name through the plugin's class loader; the argument is the file to write. */
    public static int run(Project project, String[] arguments) throws Exception {
        Checks checks = new Checks();
        checks.check("the panel is drawn in both themes", () -> {
            BufferedImage light = shown(new IntelliJLaf());
            BufferedImage dark = shown(new DarculaLaf());
            Checks.that(colours(light) > 10 && colours(dark) > 10, "one of the pictures is empty");
            Checks.that(brightness(light) > brightness(dark) + 50, "the themes do not differ");
            BufferedImage both = new BufferedImage(2 * WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
            Graphics graphics = both.getGraphics();
            graphics.drawImage(light, 0, 0, null);
            graphics.drawImage(dark, WIDTH, 0, null);
            ImageIO.write(both, "png", new File(arguments[0]));
        });
        return checks.verdict();
    }

    private static BufferedImage shown(LookAndFeel theme) throws Exception {
        JFrame frame = onUi(() -> {
            UIManager.setLookAndFeel(theme);
            McpPanel panel = new McpPanel(new Nothing());
            panel.show("running", "Running", "http://127.0.0.1:29170/index-mcp/streamable-http", "shop", calls());
            JFrame window = new JFrame("MCP Server");
            window.setUndecorated(true);
            window.setContentPane(panel);
            window.setBounds(20, 20, WIDTH, HEIGHT);
            window.setVisible(true);
            return window;
        });
        Robot robot = new Robot();
        robot.waitForIdle();
        robot.delay(SETTLE_MILLIS);
        BufferedImage picture = robot.createScreenCapture(new Rectangle(20, 20, WIDTH, HEIGHT));
        onUi(() -> {
            frame.dispose();
            return null;
        });
        return picture;
    }

    private static List<Map<String, Object>> calls() {
        return List.of(call("ide_find_references", "2026-11-26T20:14:09Z", 14, "success"),
                call("ide_rename_symbol", "2026-11-26T20:13:51Z", 212, "success"),
                call("ide_diagnostics", "2026-11-26T20:13:40Z", null, "pending"),
                call("ide_find_definition", "2026-11-26T20:13:38Z", 3, "error"),
                call("ide_type_hierarchy", "2026-11-26T20:13:12Z", 9, "success"));
    }

    private static Map<String, Object> call(String tool, String at, Integer took, String status) {
        return Json.object("id", 1, "tool", tool, "startedAt", at, "durationMs", took, "status", status);
    }

    private static long colours(BufferedImage picture) {
        return java.util.Arrays.stream(picture.getRGB(0, 0, WIDTH, HEIGHT, null, 0, WIDTH)).distinct().count();
    }

    private static double brightness(BufferedImage picture) {
        return java.util.Arrays.stream(picture.getRGB(0, 0, WIDTH, HEIGHT, null, 0, WIDTH)).map(rgb -> rgb & 0xFF).average()
                .orElse(0);
    }

    private static <T> T onUi(Callable<T> body) throws Exception {
        FutureTask<T> task = new FutureTask<>(body);
        ApplicationManager.getApplication().invokeAndWait(task, ModalityState.NON_MODAL);
        return task.get();
    }

    private static final class Nothing implements McpPanel.Commands {
        @Override
        public void copyUrl() {}

        @Override
        public void copyConfiguration() {}

        @Override
        public void openDashboard() {}

        @Override
        public void openSettings() {}

        @Override
        public void refresh() {}
    }
}
