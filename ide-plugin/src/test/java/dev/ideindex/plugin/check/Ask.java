package dev.ideindex.plugin.check;

import com.intellij.openapi.project.Project;
import dev.ideindex.plugin.asking.Asker;
import dev.ideindex.plugin.platform.P183;
import dev.ideindex.plugin.psi.PsiHost;
import dev.ideindex.plugin.spi.HostException;
import dev.ideindex.plugin.spi.Json;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Answers operations line by line, {@code {"op": …}} in and the answer out: for whoever measures the IDE's answers alone. */
public final class Ask {
    private Ask() {}

    /** Called by name through the plugin's class loader. */
    public static int run(Project project, String[] arguments) throws Exception {
        PsiHost host = new PsiHost(new P183(), (id, verdict, content) -> { });
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.out.println("READY " + project.getBasePath());
        System.out.flush();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            byte[] request = line.getBytes(StandardCharsets.UTF_8);
            String op = (String) ((Map<?, ?>) Json.parse(request)).get("op");
            String answer;
            try {
                answer = new String(host.call(Asker.newCall(), op, request), StandardCharsets.UTF_8);
            } catch (HostException e) {
                answer = new String(Json.bytes(Json.object("error", e.code(), "message", e.getMessage())), StandardCharsets.UTF_8);
            }
            System.out.println("ANSWER " + answer);
            System.out.flush();
        }
        return 0;
    }
}
