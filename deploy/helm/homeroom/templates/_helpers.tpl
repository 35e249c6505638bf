{{- define "homeroom.name" -}}
{{- ternary .Release.Name (printf "%s-homeroom" .Release.Name) (contains "homeroom" .Release.Name) | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "homeroom.selector" -}}
app.kubernetes.io/name: homeroom
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "homeroom.labels" -}}
labels:
  {{- include "homeroom.selector" . | nindent 2 }}
{{- end -}}

{{/* Settings that the pod can't start without. */}}
{{- define "homeroom.required" -}}
HOMEROOM_DATABASE_URL HOMEROOM_KEYS HOMEROOM_CLUSTER_SECRET HOMEROOM_S3_ACCESS_KEY HOMEROOM_S3_SECRET_KEY
{{- end -}}

{{/* A setting as text. Numbers of values files are floating-point, and a million would be written as 1e+06. */}}
{{- define "homeroom.text" -}}
{{- if kindIs "float64" . }}{{ int64 . }}{{ else }}{{ . }}{{ end -}}
{{- end -}}
