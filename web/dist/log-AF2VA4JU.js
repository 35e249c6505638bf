import{a,b,c}from"./chunk-Z2D6BQES.js";import"./chunk-DYVOYQAQ.js";import"./chunk-4FDPZVP4.js";import"./chunk-E72YXV2Y.js";import"./chunk-DTGVUE5H.js";c();export{a as AuditTabs,b as default};
