// What the values of transport are called.
import type { Row } from "../../api/contract"
import type { Tone } from "../../ui/basics"
import type { Option } from "../../ui/form"
import { t } from "../../words/words"

export { busLetters, busName, delay, incidentTypes, minutes, riderStatuses, riderTones, textOf } from "../../bus/words"

export type Bus = Row<"/school-admin/transport/bus/list">
export type Route = Row<"/school-admin/transport/route/list">
export type Trip = Row<"/school-admin/transport/trip/list">
export type Incident = Row<"/school-admin/transport/incident/list">
export type Running = Row<"/school-admin/transport/live">

export const sections = () => [
  { key: "live", href: "/app/transport", text: t("Live") }, { key: "trips", href: "/app/transport/trips", text: t("Trips") },
    { key: "routes", href: "/app/transport/routes", text: t("Routes") },
  { key: "buses", href: "/app/transport/buses", text: t("Buses") }, { key: "incidents", href: "/app/transport/incidents", text: t("Incidents") },
]

export const tripTypes = (): Option[] => [{ value: "pickup", text: t("to school") }, { value: "dropoff", text: t("home") }]
export const tripStatuses = (): (Option & { tone: Tone })[] => [
  { value: "scheduled", text: t("planned"), tone: "" }, { value: "in_progress", text: t("under way"), tone: "good" }, { value: "paused", text: t("paused"), tone: "warn" },
  { value: "completed", text: t("ended"), tone: "" }, { value: "cancelled", text: t("cancelled"), tone: "bad" },
]
export const busStatuses = (): (Option & { tone: Tone })[] => [
  { value: "ACTIVE", text: t("in use"), tone: "" }, { value: "MAINTENANCE", text: t("in the workshop"), tone: "warn" }, { value: "RETIRED", text: t("out of use"), tone: "" },
]
export const severities = (): (Option & { tone: Tone })[] => [
  { value: "HIGH", text: t("serious"), tone: "bad" }, { value: "MEDIUM", text: t("medium"), tone: "warn" }, { value: "LOW", text: t("minor"), tone: "" },
]
export const tripBus = (x: { busName: string | null; busRegistrationNo: string }) => x.busName ?? x.busRegistrationNo
/** "7:05" of "07:05". */
export const clock = (time: string | null) => (time ? time.slice(0, 5).replace(/^0/, "") : "–")
