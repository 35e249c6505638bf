import{a,b,c}from"./chunk-Q7S3P776.js";import"./chunk-SYVXOY7O.js";import"./chunk-3N3OFHZU.js";import"./chunk-HFDORBOT.js";import"./chunk-GOKVTJ5P.js";c();export{a as AuditTabs,b as default};
