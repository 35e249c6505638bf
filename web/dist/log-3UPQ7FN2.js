import{a,b,c}from"./chunk-SFCWRZIM.js";import"./chunk-VKNG5TH4.js";import"./chunk-HPQ2ZQAZ.js";import"./chunk-NPHPGTMW.js";import"./chunk-WZQEC2GS.js";c();export{a as AuditTabs,b as default};
