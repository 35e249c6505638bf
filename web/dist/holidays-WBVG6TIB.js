import{a,b,c}from"./chunk-3YVEGQEV.js";import"./chunk-4FDPZVP4.js";import"./chunk-XYDMDBGD.js";import"./chunk-E72YXV2Y.js";import"./chunk-DTGVUE5H.js";c();export{a as CalendarTabs,b as default};
