import{a,b,c}from"./chunk-MWS62LXV.js";import"./chunk-NTCM5QSQ.js";import"./chunk-LD4DY4CL.js";import"./chunk-JI42CARG.js";import"./chunk-QIRAC7NQ.js";c();export{a as AuditTabs,b as default};
