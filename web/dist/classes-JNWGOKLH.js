import{a,b,c}from"./chunk-XASOJRBO.js";import"./chunk-G6XZR2CJ.js";import"./chunk-I3NXOPNB.js";import"./chunk-EFMXWPQZ.js";c();export{a as ClassTabs,b as default};
