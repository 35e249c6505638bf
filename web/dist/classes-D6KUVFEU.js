import{a,b,c}from"./chunk-FPX2PYD2.js";import"./chunk-XYDMDBGD.js";import"./chunk-4KCQBUPV.js";import"./chunk-DTGVUE5H.js";c();export{a as ClassTabs,b as default};
