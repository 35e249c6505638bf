import{a,b,c}from"./chunk-2HLSB6WU.js";import"./chunk-6MG42LVE.js";import"./chunk-OCJPJEVE.js";import"./chunk-DEDIQJEE.js";import"./chunk-46IXHASG.js";c();export{a as AuditTabs,b as default};
