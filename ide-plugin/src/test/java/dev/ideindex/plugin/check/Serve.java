package dev.ideindex.plugin.check;

import com.intellij.openapi.project.Project;
import dev.ideindex.plugin.asking.Checks;
import dev.ideindex.plugin.ide.NativeService;

/** Serves the project until standard input ends: for whoever measures the answers from outside. */
public final class Serve {
    private Serve() {}

    /** Called by name through the plugin's class loader. */
    public static int run(Project project, String[] arguments) throws Exception {
        System.out.println("READY " + url() + " " + project.getBasePath());
        System.out.flush();
        while (System.in.read() >= 0) {
            // The end of our input ends the server.
        }
        return 0;
    }

    /** The address of the server, when it runs. */
    static String url() throws Exception {
        Checks.eventually("the server runs, not: " + NativeService.getInstance().state().text(), () -> {
            String light = NativeService.getInstance().state().light();
            Checks.that(!light.equals("error"), NativeService.getInstance().state().text());
            return light.equals("running");
        });
        return NativeService.getInstance().state().url();
    }
}
