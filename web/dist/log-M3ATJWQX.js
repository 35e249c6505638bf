import{a,b,c}from"./chunk-HLGGD6MR.js";import"./chunk-WXSXVNW2.js";import"./chunk-NH7QUF4A.js";import"./chunk-W37AMWEK.js";import"./chunk-NWDS5W7U.js";c();export{a as AuditTabs,b as default};
