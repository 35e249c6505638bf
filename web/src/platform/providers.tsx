import { get, post } from "../api/client"
import { useGet } from "../shell/load"
import { Head, Ready } from "../ui/basics"
import { Providers } from "../ui/providers"
import { t } from "../words/words"

export default function ProvidersPage() {
  const loaded = useGet("/super-admin/notification/providers")
  return (
    <>
      <Head title={t("Providers")} sub={t("How SMS, e-mail and push of all schools are sent. A test goes to you alone.")} />
      <Ready of={loaded}>{(p) => <Providers channels={p.providers} tester={{
        send: (channel) => post("/super-admin/notification/test", { channel }), look: (id) => get("/super-admin/notification/test/{id}", undefined, { path: { id } }),
      }} />}</Ready>
    </>
  )
}
